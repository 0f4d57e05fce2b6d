# The page, the commands and training in one image; docs/serve.md ("In a container") tells how to build and run it.
FROM python:3.12-slim

# PyTorch's own index has builds without CUDA, which are a tenth as large; the versions are those that were tested.
COPY . /source
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu \
        --constraint /source/constraints.txt '/source[serve,learn]' \
    && rm -r /source \
    && useradd --create-home player

# Nobody needs rights here. Runs, games and compiled kernels lie in the home folder: a volume there keeps them.
USER player
WORKDIR /home/player
EXPOSE 8321

# A server must listen beyond the container's loopback to be reached at all. It then asks for the token that is in the
# address it prints; publish the port on this machine's loopback alone: docker run -p 127.0.0.1:8321:8321
ENTRYPOINT ["understudy"]
CMD ["serve", "--no-browser", "--host", "0.0.0.0"]
