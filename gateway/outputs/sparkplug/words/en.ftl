# English words of the output `sparkplug`. auscult/contract/words/en.ftl explains the functions.

broker_twice = brokers: the same host and port twice; name each broker once
