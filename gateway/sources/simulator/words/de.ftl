# German words of the source `simulator`.

simulator_rates = die Punkte einer simulierten Maschine brauchen eine gemeinsame Rate, sie haben { $rates }
