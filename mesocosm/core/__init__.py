"""The contract that every world, layer, adapter and tool keeps."""
