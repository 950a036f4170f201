"""What several commands share: options, output, playing, drawing; nothing here knows a command."""
