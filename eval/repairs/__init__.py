"""The validator under test: frames with known originals, changed as people and models change them."""
