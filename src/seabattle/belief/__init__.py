"""What an observation says about where the ships are."""
