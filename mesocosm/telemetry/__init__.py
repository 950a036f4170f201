"""Everything measured, nothing touched: levels of logging, run folders, replays."""
