# German words of the source `mqtt_json`.

# its form in the page

form-mqtt_json-kind-channel = ein Wert in JSON über MQTT
form-mqtt_json-kind-title = Werte in JSON über MQTT
form-mqtt_json-topic = MQTT-Thema
form-mqtt_json-path = Pfad zum Wert (JMESPath; leer: die ganze Nachricht)
