"""What the rules are tested with: conversations that break them and that keep them, and sentences."""
