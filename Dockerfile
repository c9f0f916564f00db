# docker build -t discreet .
# docker run --rm --network none -v "$PWD:/data" discreet audit patterns.json -k 10
# .ci/container checks these steps without Docker.
FROM python:3.12-slim

# Code for a generic CPU runs on every machine of the architecture.
ENV NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=/var/cache/discreet PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY docs/discreet.1 docs/
COPY src src
RUN pip install --no-cache-dir --no-compile --only-binary :all: --constraint constraints.txt '.[stats,zstd]'
# Numba keeps compiled code while the times of its sources stay the same; a pulled image may have lost their fractions of a second.
RUN python -P -c "import os, pathlib, discreet; [os.utime(file, (1, 1)) for file in pathlib.Path(discreet.__file__).parent.rglob('*.py')]" \
    && python -P -m compileall -q "$(python -P -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
RUN useradd --create-home discreet && install --directory --owner discreet /var/cache/discreet /data
USER discreet
WORKDIR /data
RUN discreet warm --quiet
ENTRYPOINT ["discreet"]
CMD ["--help"]
