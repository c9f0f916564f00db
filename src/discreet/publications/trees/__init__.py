"""Decision trees and forests, and the groups of people in their leaves."""
