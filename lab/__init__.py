"""What measures the product, and what is made from it; not part of the product."""
