# German words of the output `sparkplug`.

broker_twice = brokers: Host und Port doppelt; jeden Broker einmal nennen
