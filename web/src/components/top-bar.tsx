// The bar above everything: appearance, density, sign-out.
import TopNavigation, { type TopNavigationProps } from "@cloudscape-design/components/top-navigation";
import { useState } from "react";
import { forgetAnswers } from "../api/client";
import { type Appearance, keepPreferences, type Preferences, readPreferences } from "../preferences";
import { signOut } from "../session";
import { useFollow } from "./app-link";
import { useNotices } from "./notices";

const APPEARANCES: { id: Appearance; text: string }[] = [
  { id: "light", text: "Light" },
  { id: "dark", text: "Dark" },
  { id: "system", text: "As the system" },
];

export function TopBar({ signedIn }: { signedIn: boolean }) {
  const [preferences, setPreferences] = useState<Preferences>(readPreferences);
  const follow = useFollow();
  const { clear } = useNotices();
  const keep = (change: Partial<Preferences>) => {
    const kept = { ...preferences, ...change };
    setPreferences(kept);
    keepPreferences(kept);
  };
  const choose = (id: string) => {
    const appearance = APPEARANCES.find((choice) => choice.id === id)?.id;
    if (appearance) keep({ appearance });
    if (id === "compact") keep({ compact: !preferences.compact });
  };
  const utilities: TopNavigationProps.Utility[] = [
    {
      type: "menu-dropdown",
      iconName: "settings",
      text: "Display",
      ariaLabel: "Display settings",
      onItemClick: ({ detail }) => choose(detail.id),
      items: [
        {
          text: "Appearance",
          items: APPEARANCES.map(({ id, text }) => ({
            id,
            text,
            itemType: "checkbox" as const,
            checked: preferences.appearance === id,
          })),
        },
        {
          text: "Density",
          items: [{ id: "compact", text: "Compact", itemType: "checkbox", checked: preferences.compact }],
        },
      ],
    },
  ];
  if (signedIn) {
    const leave = () => {
      forgetAnswers();
      clear();
      signOut();
    };
    utilities.push({ type: "button", text: "Sign out", onClick: leave });
  }
  return (
    <header id="top">
      <TopNavigation
        identity={{ href: "/clusters", title: "HyperPod InstantStart", onFollow: follow as never }}
        utilities={utilities}
      />
    </header>
  );
}
