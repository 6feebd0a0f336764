# English words of the output `opcua`. auscult/contract/words/en.ftl explains the functions.

opcua_no_user = no user may log in: add [[opcua.users]] or set anonymous = true
opcua_readable_passwords = modes = ['none'] would send passwords readable: add 'sign_and_encrypt' to modes
opcua_user_twice = users: the same name twice
