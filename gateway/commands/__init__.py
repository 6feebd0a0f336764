"""What people and SCADA may ask of a gateway, who asked, and what came of it."""
