"""What the rules are tested with: conversations that break or keep them, and sentences."""
