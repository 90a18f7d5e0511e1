# Where containerd and the kubelet keep their data: sourced by on_create.sh.

# The larger volume: the extra EBS volume of the instance group, else the local NVMe disks. Nothing if neither is mounted.
larger_volume() {
  local path
  for path in /opt/sagemaker /opt/dlami/nvme; do
    if mountpoint --quiet "${path}"; then
      printf '%s\n' "${path}"
      return 0
    fi
  done
}

# Puts the directory $1 on the volume $2 and leaves a bind mount in its place. The kubelet looks at device numbers and
# does not follow links, so a link will not do.
move_directory() {
  local from="$1" to="$2${1}"
  if mountpoint --quiet "${from}"; then
    printf '%s is a mount already\n' "${from}"
    return 0
  fi
  mkdir -p "${from}" "${to}"
  cp --archive --no-clobber "${from}/." "${to}/"
  mount --bind "${to}" "${from}"
  # A reboot mounts it again; the volume itself may come up late or not at all, and the node must come up all the same.
  printf '%s %s none bind,nofail,x-systemd.requires-mounts-for=%s 0 0\n' "${to}" "${from}" "$2" >>/etc/fstab
  printf '%s is on %s now\n' "${from}" "$2"
}

move_container_storage() {
  local volume unit
  volume="$(larger_volume)"
  if [[ -z "${volume}" ]]; then
    printf 'no larger volume is mounted: containers stay on the root volume\n'
    return 0
  fi
  local running=()
  for unit in kubelet containerd; do
    if systemctl is-active --quiet "${unit}"; then
      running=("${unit}" "${running[@]}")
      systemctl stop "${unit}"
    fi
  done
  move_directory /var/lib/containerd "${volume}"
  move_directory /var/lib/kubelet "${volume}"
  for unit in "${running[@]}"; do
    systemctl start "${unit}"
  done
}
