# make package && docker build -t bridged -f Dockerfile .build/package/out
# docker run --rm -p 2734:2734 bridged                 # prints the script tag, which has a token
# docker run --rm -v "$PWD:/work" bridged test flows/*.yml
# The release of Debian that made the package: --build-arg DEBIAN=13
ARG DEBIAN=12
FROM debian:${DEBIAN}-slim
COPY bridged_*.deb /tmp/
RUN apt-get update \
    && apt-get install -y --no-install-recommends /tmp/bridged_*.deb \
    && apt-get install -y --no-install-recommends chromium \
    && rm -rf /tmp/bridged_*.deb /var/lib/apt/lists/*
WORKDIR /work
EXPOSE 2734
ENTRYPOINT ["bridged"]
CMD ["serve", "--host", "0.0.0.0"]
