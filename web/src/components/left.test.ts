// What is left after a failure is named as people know it, and what costs money stands first.
import { describe, expect, it } from "vitest";
import { readLeft } from "./left";

describe("what is left", () => {
  it("stands with what is billed first, each line once", () => {
    const vpc = "vpcId vpc-0a (create-vpc)";
    const read = readLeft([vpc, "natGatewayId nat-0b (create-nat-gateway)", vpc]);
    expect(read.map(({ what, id, billed }) => [what, id, billed])).toEqual([
      ["NAT gateway", "nat-0b", "billed by the hour"],
      ["VPC", "vpc-0a", ""],
    ]);
  });

  it("is told as it is where it cannot be read, and by its own name where that is not known", () => {
    expect(readLeft(["nothing that we know of"])[0]).toMatchObject({ what: "", id: "nothing that we know of" });
    expect(readLeft(["launchTemplateId lt-0c (x)"])[0]).toMatchObject({ what: "Launch Template Id", billed: "" });
  });
});
