# docker build -t discreet .
# docker run --rm --network none -v "$PWD:/data" discreet audit patterns.json -k 10
# .ci/container checks these steps without Docker.
FROM python:3.12-slim

# Code for a generic CPU runs on every machine of the architecture.
ENV NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=/var/cache/discreet
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY docs/discreet.1 docs/
COPY src src
RUN pip install --no-cache-dir --only-binary :all: --constraint constraints.txt '.[stats,zstd]'
# Numba keeps compiled code while the times of its sources stay the same; a pulled image may have lost their fractions of a second.
RUN cd "$(python -P -c 'import discreet; print(*discreet.__path__)')" \
    && find . -name '*.py' -exec touch --date=@1 {} + && python -P -m compileall -q .
RUN useradd --create-home discreet && install --directory --owner discreet /var/cache/discreet /data
USER discreet
WORKDIR /data
RUN discreet warm --quiet
ENTRYPOINT ["discreet"]
CMD ["--help"]
