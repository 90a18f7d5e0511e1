// Values of unknown form as lines of a tree.
import { describe, expect, it } from "vitest";
import { tree, words } from "./value-tree";

describe("a tree of a value", () => {
  it("has a line for each member, and lists of words on one line", () => {
    const lines = tree({
      vpcId: "vpc-1",
      dnsHostnames: true,
      otherCidrs: ["10.0.0.0/16", "10.1.0.0/16"],
      tags: {},
      ami: null,
    });
    expect(lines.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      "Vpc Id: vpc-1",
      "Dns Hostnames: yes",
      "Other Cidrs: 10.0.0.0/16, 10.1.0.0/16",
      "Tags: none",
      "Ami: unknown",
    ]);
  });

  it("names things in lists by their name or id, and has each place once", () => {
    const [zones] = tree({ zones: [{ name: "us-west-2a", id: "usw2-az3" }, { id: "usw2-az1" }, { free: 3 }] });
    expect(zones?.branches.map(({ name }) => name)).toEqual(["us-west-2a", "usw2-az1", "3"]);
    const ids = zones?.branches.flatMap(({ id, branches }) => [id, ...branches.map((held) => held.id)]) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("of what is no object is empty", () => {
    expect([tree(undefined), tree(null), tree("x")]).toEqual([[], [], []]);
  });
});

describe("words", () => {
  it("leave tags and labels as they are", () => {
    expect(words("hyperpod-instantstart:cluster")).toBe("hyperpod-instantstart:cluster");
    expect(words("s3Endpoint")).toBe("S3 Endpoint");
  });
});
