// What is there after a failure, one line each (`natGatewayId nat-0a… (create-nat-gateway)`), as things that people know,
// those that cost money first.
import { words } from "./value-tree";

export interface Left {
  /** The line as it was told; unique among what is left. */
  line: string;
  /** `NAT gateway`. */
  what: string;
  /** Its id, name or ARN. */
  id: string;
  /** How AWS bills it while it is there; empty if it is not billed by itself. */
  billed: string;
}

const HOURLY = "billed by the hour";

const KINDS: Record<string, { what: string; billed?: string }> = {
  allocationId: { what: "Elastic IP address", billed: HOURLY },
  natGatewayId: { what: "NAT gateway", billed: HOURLY },
  eksClusterArn: { what: "EKS cluster", billed: HOURLY },
  hyperpodClusterArn: { what: "HyperPod cluster", billed: "its running nodes are billed by the hour" },
  clusterArn: { what: "HyperPod cluster", billed: "its running nodes are billed by the hour" },
  bucket: { what: "Bucket", billed: "billed by what is in it" },
  vpcId: { what: "VPC" },
  subnetId: { what: "Subnet" },
  roleArn: { what: "Role" },
  routeTableId: { what: "Route table" },
  internetGatewayId: { what: "Internet gateway" },
  vpcEndpointId: { what: "S3 gateway endpoint" },
  securityGroupId: { what: "Security group" },
  oidcProviderArn: { what: "OIDC provider" },
  addonArn: { what: "Add-on" },
  associationId: { what: "Pod identity association" },
};

const LINE = /^(\S+) (\S+) \((.+)\)$/;

function read(line: string): Left {
  const [, name = "", id = ""] = LINE.exec(line) ?? [];
  if (!name) return { line, what: "", id: line, billed: "" };
  const known = KINDS[name];
  return { line, what: known?.what ?? words(name), id, billed: known?.billed ?? "" };
}

/** What is left, each line once, billed things first. */
export function readLeft(lines: readonly string[]): Left[] {
  const all = [...new Set(lines)].map(read);
  return [...all.filter(({ billed }) => billed), ...all.filter(({ billed }) => !billed)];
}
