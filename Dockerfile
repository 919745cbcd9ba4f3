# A service of a model (docs/service.md): the wheel is built in one stage and installed in another.
#   docker build -t clausal-serve .
#   docker run --rm --read-only --cap-drop ALL -p 127.0.0.1:8000:8000 -v "$PWD/model.json:/model.json:ro" clausal-serve

FROM python:3.12-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim-bookworm
COPY --from=build /wheels /wheels
RUN wheel=$(ls /wheels/clausal-*.whl) \
 && pip install --no-cache-dir "${wheel}[serve]" \
 && rm -r /wheels \
 && useradd --system --no-create-home clausal
USER clausal
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["clausal", "serve"]
CMD ["/model.json", "--host", "0.0.0.0"]
