// Links inside the console: real addresses, followed without loading the page anew.
import Link, { type LinkProps } from "@cloudscape-design/components/link";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";

interface Props {
  to: string;
  children: ReactNode;
  variant?: LinkProps["variant"];
  fontSize?: LinkProps["fontSize"];
  ariaLabel?: string;
}

export function AppLink({ to, ...props }: Props) {
  const navigate = useNavigate();
  return (
    <Link
      {...props}
      href={to}
      onFollow={(event) => {
        event.preventDefault();
        void navigate(to);
      }}
    />
  );
}

/** For components that take `href` and `onFollow`: follows inside the console. */
export function useFollow(): (event: CustomEvent<{ href?: string; external?: boolean }>) => void {
  const navigate = useNavigate();
  return (event) => {
    const { href, external } = event.detail;
    if (!href || external) return;
    event.preventDefault();
    void navigate(href);
  };
}
