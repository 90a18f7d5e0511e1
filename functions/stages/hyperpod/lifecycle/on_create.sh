#!/bin/bash
# Entry of the lifecycle scripts: HyperPod runs it once when a node is made, before the node joins Kubernetes.
# It downloads nothing. Moves container images and kubelet data from the 100 GB root volume to a larger one, if there is
# one. A failure here fails the node, so what is only convenient may fail quietly.
set -euo pipefail

echo "hyperpod-instantstart lifecycle scripts, version 1"

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=container_storage.sh
source "${here}/container_storage.sh"

echo "step 1 of 1: storage of containers and kubelet"
move_container_storage

echo "lifecycle scripts done"
