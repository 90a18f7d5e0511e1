// The frame around every page, and the list of pages with their addresses.
import AppLayout from "@cloudscape-design/components/app-layout";
import BreadcrumbGroup from "@cloudscape-design/components/breadcrumb-group";
import Flashbar from "@cloudscape-design/components/flashbar";
import I18nProvider from "@cloudscape-design/components/i18n";
import messages from "@cloudscape-design/components/i18n/messages/all.en";
import SideNavigation, { type SideNavigationProps } from "@cloudscape-design/components/side-navigation";
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { BrowserRouter, Navigate, Route, Routes, useLocation } from "react-router";
import { Announce } from "./components/announce";
import { Boundary } from "./components/boundary";
import { useFollow } from "./components/app-link";
import { NoticesProvider, useNotices } from "./components/notices";
import { AnnounceSilence, silenceItem, useSilence } from "./components/silence";
import { TopBar } from "./components/top-bar";
import { onPageTitle, pageTitle } from "./page-title";
import { trail } from "./trail";
import { SignIn } from "./pages/sign-in";
import { onSession, token } from "./session";

// Each page is a file of its own. All are fetched once the first one is there, so that a console that is open stays usable
// while the server that gave it is away.
const PAGES = {
  clusters: () => import("./pages/clusters"),
  create: () => import("./pages/create/create"),
  cluster: () => import("./pages/cluster/cluster"),
  decide: () => import("./pages/decide"),
  operations: () => import("./pages/operations"),
  operation: () => import("./pages/operation"),
  capacity: () => import("./pages/capacity"),
  health: () => import("./pages/health"),
  notFound: () => import("./pages/not-found"),
};

const Clusters = lazy(PAGES.clusters);
const Create = lazy(PAGES.create);
const Cluster = lazy(PAGES.cluster);
const Decide = lazy(PAGES.decide);
const Operations = lazy(PAGES.operations);
const Operation = lazy(PAGES.operation);
const Capacity = lazy(PAGES.capacity);
const Health = lazy(PAGES.health);
const NotFound = lazy(PAGES.notFound);

function useAllPages(): void {
  useEffect(() => {
    // One that fails is fetched again when it is opened, and told there.
    for (const load of Object.values(PAGES)) load().catch(() => {});
  }, []);
}

const PLACES: SideNavigationProps.Item[] = [
  { type: "link", text: "Clusters", href: "/clusters" },
  { type: "link", text: "Operations", href: "/operations" },
  { type: "link", text: "Capacity", href: "/capacity" },
  { type: "divider" },
  { type: "link", text: "Health", href: "/health" },
];

function Pages() {
  return (
    <Suspense fallback={null}>
      <Routes>
        <Route path="/" element={<Navigate to="/clusters" replace />} />
        <Route path="/clusters" element={<Clusters />} />
        <Route path="/clusters/create" element={<Create />} />
        <Route path="/clusters/:tag" element={<Cluster />} />
        <Route path="/clusters/:tag/capacity" element={<Decide />} />
        <Route path="/operations" element={<Operations />} />
        <Route path="/operations/:id" element={<Operation />} />
        <Route path="/capacity" element={<Capacity />} />
        <Route path="/health" element={<Health />} />
        <Route path="*" element={<NotFound />} />
      </Routes>
    </Suspense>
  );
}

function Frame() {
  useAllPages();
  const { pathname } = useLocation();
  const follow = useFollow();
  const { items, followers } = useNotices();
  const since = useSilence();
  const [open, setOpen] = useState(true);
  const crumbs = trail(pathname);
  const title = useSyncExternalStore(onPageTitle, pageTitle);

  return (
    <AppLayout
      headerSelector="#top"
      navigationOpen={open}
      onNavigationChange={({ detail }) => setOpen(detail.open)}
      navigation={
        <SideNavigation
          header={{ text: "HyperPod InstantStart", href: "/clusters" }}
          activeHref={crumbs[0]?.href ?? "/clusters"}
          items={PLACES}
          onFollow={follow}
        />
      }
      breadcrumbs={<BreadcrumbGroup items={crumbs} onFollow={follow} />}
      notifications={
        <>
          <Flashbar
            items={[...silenceItem(since), ...items]}
            stackItems
            i18nStrings={{
              ariaLabel: "Messages",
              notificationBarText: "Messages",
              notificationBarAriaLabel: "All messages",
            }}
          />
          {followers}
          <Announce text={title} />
          <AnnounceSilence since={since} />
        </>
      }
      content={
        <Boundary page={pathname}>
          <Pages />
        </Boundary>
      }
      toolsHide
    />
  );
}

/** The console: the sign-in page without a token, else the frame with the page of the address. */
export function App() {
  const signedIn = useSyncExternalStore(onSession, () => token() !== "");
  return (
    <I18nProvider locale="en" messages={[messages]}>
      <BrowserRouter>
        <NoticesProvider>
          <TopBar signedIn={signedIn} />
          {signedIn ? <Frame /> : <SignIn />}
        </NoticesProvider>
      </BrowserRouter>
    </I18nProvider>
  );
}
