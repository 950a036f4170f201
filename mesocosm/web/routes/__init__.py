"""Routes under /api/, one module for each thing there is."""
