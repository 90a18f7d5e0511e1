// Entry: takes the token out of the address bar first, then draws.
import "@cloudscape-design/global-styles/index.css";
import "./console.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { applyPreferences, followSystem, readPreferences } from "./preferences";
import { takeTokenFromFragment } from "./session";

takeTokenFromFragment();
window.addEventListener("hashchange", () => takeTokenFromFragment());
applyPreferences(readPreferences());
followSystem();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
