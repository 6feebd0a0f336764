# German words of the output `opcua`.

opcua_no_user = kein Benutzer kann sich anmelden: [[opcua.users]] ergänzen oder anonymous = true setzen
opcua_readable_passwords = modes = ["none"] würde Passwörter lesbar übertragen: „sign_and_encrypt“ in modes aufnehmen
opcua_user_twice = users: ein Name ist doppelt
