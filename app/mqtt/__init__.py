"""Between broker and database: messages in, receipts and commands out."""
