"""Studies behind figures in the documentation; none of them runs in the product."""
