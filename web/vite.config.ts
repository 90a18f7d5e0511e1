// How the console is built and tested. Assets are files of their own: the content security policy allows no inline
// script or style, so nothing is inlined into index.html and no script is put into a data: URL.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    assetsInlineLimit: (file) => (file.endsWith(".svg") ? false : undefined),
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    // `npm run dev` beside a running product: the API answers there, the pages come from here.
    proxy: { "/v1": { target: "http://127.0.0.1:3099", changeOrigin: true } },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test-setup.ts"],
  },
});
