# English words of the source `modbus`. auscult/contract/words/en.ftl explains the functions.

modbus_unanswered = unit id { $unit_id } does not answer; check it, on a serial line also baud rate, parity and wiring
modbus_function = the device has no such table; choose holding or input registers
modbus_address = the device has no register there; check address, number type and device
modbus_gateway = the Modbus gateway does not reach the device; check the unit id
modbus_exception = the device answers exception { $number }; look it up in the device's manual
register_refused = register { $address } is rejected: { $detail }
register_invalid = register { $address } holds { $value }, which marks a missing measurement

# its form in the page: docs/sensors/writing-a-source.md

form-modbus-kind-channel = a register of a Modbus device
form-modbus-kind-title = The Modbus device
form-modbus-variant = Connected by
form-modbus-variant-tcp = Modbus TCP
form-modbus-variant-serial = Modbus RTU, a serial line
form-modbus-register_map = Device
form-modbus-host = Address
form-modbus-port = Port
form-modbus-serial_port = Serial line
form-modbus-baud_rate = Baud rate
form-modbus-parity = Parity
form-modbus-parity-none = none
form-modbus-parity-even = even
form-modbus-parity-odd = odd
form-modbus-unit_id = Unit id
form-modbus-register_name = Register
form-modbus-address = Address, from 0 (40001 on paper is 0)
form-modbus-table = Table
form-modbus-table-holding = holding registers
form-modbus-table-input = input registers
form-modbus-encoding = Type of the number
form-modbus-word_order = Order of the registers
form-modbus-word_order-big = high word first
form-modbus-word_order-little = low word first
