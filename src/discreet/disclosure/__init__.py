"""What published numbers give away."""
