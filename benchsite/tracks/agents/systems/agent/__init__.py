"""One agent at work: its conversation, its tool loop, its artifact, and the record of what it did."""
