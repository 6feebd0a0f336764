"""The store on PostgreSQL, which several processes share."""
