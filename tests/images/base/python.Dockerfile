# Stands in for python:3.11-slim-bookworm where no image registry is reached: Debian's own Python.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3.11 python3.11-venv python3-pip tzdata \
    && rm -rf /var/lib/apt/lists/* /usr/lib/python3*/EXTERNALLY-MANAGED \
    && ln -s /usr/bin/python3.11 /usr/local/bin/python
ENV LANG=C.UTF-8
