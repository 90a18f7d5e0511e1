// Faults of the simulated account, switched on and off over its control endpoint.
import assert from "node:assert/strict";

async function control(settings, method, query, body) {
  const response = await fetch(`${settings.accountUrl}/_account/faults${query}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } } : {}),
  });
  assert.ok(response.ok, `${method} of a fault: ${response.status} ${await response.text()}`);
}

export const switchOn = (settings, fault) => control(settings, "POST", "", fault);

export const switchOff = (settings, name) => control(settings, "DELETE", `?name=${encodeURIComponent(name)}`);
