"""What Mesocosm costs, beside what its peers cost: measured, never tested by the clock."""
