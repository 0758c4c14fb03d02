# The service in a container; docs/deploy.md says how it is run. Whoever wants SQLite mounts a volume at /data.

FROM python:3.12-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
RUN python -m venv /opt/aachen
# What is installed from elsewhere is named with its hash; it changes seldom, so it has a layer of its own.
COPY requirements/play.lock requirements/play.lock
RUN /opt/aachen/bin/pip install --require-hashes -r requirements/play.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/aachen/bin/pip install --no-deps --no-build-isolation .

FROM python:3.12-slim
# The number is fixed, so that volumes keep their owner from one image to the next.
RUN useradd --system --user-group --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin aachen \
    && install -d -o aachen -g aachen -m 0700 /data /cache
COPY --from=build /opt/aachen /opt/aachen
# Nothing is written but /data (the database, if it is SQLite), /cache (compiled rules) and /tmp.
ENV PATH=/opt/aachen/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    AACHEN_STATE_DIR=/data \
    AACHEN_CACHE_DIR=/cache
VOLUME ["/data", "/cache"]
USER aachen
EXPOSE 8000
# The server itself gets the signal, with no shell between, and finishes what is under way.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["aachen"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--no-browser"]
