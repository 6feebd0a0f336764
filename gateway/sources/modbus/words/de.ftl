# German words of the source `modbus`.

modbus_unanswered = die Gerätenummer { $unit_id } antwortet nicht; sie prüfen, an einer seriellen Leitung auch Baudrate, Parität und Verdrahtung
modbus_function = das Gerät hat keine solche Tabelle; Holding- oder Input-Register wählen
modbus_address = das Gerät hat dort kein Register; Adresse, Typ der Zahl und Gerät prüfen
modbus_gateway = das Modbus-Gateway erreicht das Gerät nicht; die Gerätenummer prüfen
modbus_exception = das Gerät antwortet mit Ausnahme { $number }; im Handbuch des Geräts nachschlagen
register_refused = Register { $address } wird abgelehnt: { $detail }
register_invalid = Register { $address } enthält { $value }, das Zeichen für einen fehlenden Messwert

# its form in the page

form-modbus-kind-channel = ein Register eines Modbus-Geräts
form-modbus-kind-title = Das Modbus-Gerät
form-modbus-variant = Verbunden über
form-modbus-variant-tcp = Modbus TCP
form-modbus-variant-serial = Modbus RTU, eine serielle Leitung
form-modbus-register_map = Gerät
form-modbus-host = Adresse
form-modbus-port = Port
form-modbus-serial_port = Serielle Leitung
form-modbus-baud_rate = Baudrate
form-modbus-parity = Parität
form-modbus-parity-none = keine
form-modbus-parity-even = gerade
form-modbus-parity-odd = ungerade
form-modbus-unit_id = Gerätenummer (Unit-Id)
form-modbus-register_name = Register
form-modbus-address = Adresse, ab 0 (40001 auf Papier ist 0)
form-modbus-table = Tabelle
form-modbus-table-holding = Holding-Register
form-modbus-table-input = Input-Register
form-modbus-encoding = Typ der Zahl
form-modbus-word_order = Reihenfolge der Register
form-modbus-word_order-big = hohes Wort zuerst
form-modbus-word_order-little = niedriges Wort zuerst
