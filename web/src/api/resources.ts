// The API's reads as hooks, each with its pace. Routes are spelled here and in `routes`, nowhere else.
import { get, getAll } from "./client";
import { type Live, once, paceOf, QUIET_MS, useLive, useResource, useWholeList } from "./live";
import type {
  ClusterList,
  ClusterView,
  HealthView,
  ImportableCluster,
  InstanceType,
  JournalEntry,
  NodeList,
  OperationList,
  OperationView,
  RegionList,
  StageName,
  StageView,
  SubnetList,
  TrainingPlan,
  Zone,
} from "./schema";

const segment = encodeURIComponent;

/** Where requests that change something go. */
export const routes = {
  create: "/v1/clusters",
  import: "/v1/imports",
  hyperpod: (tag: string) => `/v1/clusters/${segment(tag)}/hyperpod`,
  runStage: (tag: string, stage: string) => `/v1/clusters/${segment(tag)}/stages/${segment(stage)}/run`,
  stopSpending: (tag: string) => `/v1/clusters/${segment(tag)}/stop-spending`,
  retry: (id: string) => `/v1/operations/${segment(id)}/retry`,
  cancel: (id: string) => `/v1/operations/${segment(id)}/cancel`,
};

/** The route that shows what a request would do and does nothing. */
export const validateOnly = (path: string): string => `${path}?validateOnly=true`;

/** Whether anything about a cluster moves by itself just now, or is about to. */
export const isMoving = ({ currentOperation, stages }: ClusterView): boolean =>
  Boolean(currentOperation) ||
  stages.some(({ state }) => state === "running") ||
  stages.every(({ state }) => state === "pending");

export const useClusters = (cursor: string | undefined, limit: number): Live<ClusterList> =>
  useResource<ClusterList>("/v1/clusters", { limit, cursor }, (list) =>
    paceOf(list.items.some(({ stageState }) => stageState === "running" || stageState === "pending")),
  );

export const useCluster = (tag: string): Live<ClusterView> =>
  useResource<ClusterView>(`/v1/clusters/${segment(tag)}`, {}, (cluster) => paceOf(isMoving(cluster)));

interface Paged<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

type ItemOf<List extends Paged<unknown>> = List["items"][number];

/** A list that says something about itself, with the items of all its pages. */
type Whole<List extends Paged<unknown>> = Omit<List, "items" | "nextCursor"> & {
  readonly items: readonly ItemOf<List>[];
};

const wholes = new WeakMap<object, { first: unknown; whole: unknown }>();

/** The same object for the same pages, so that nothing is drawn anew for an answer that says nothing new. */
function wholeOf<List extends Paged<unknown>>(first: List, items: readonly ItemOf<List>[]): Whole<List> {
  const known = wholes.get(items);
  if (known?.first === first) return known.whole as Whole<List>;
  const { nextCursor: _next, items: _items, ...head } = first;
  const whole: Whole<List> = { ...head, items };
  wholes.set(items, { first, whole });
  return whole;
}

/** What the first page says of the list, and the items of every page. */
function useWhole<List extends Paged<unknown>>(path: string, pace: () => number): Live<Whole<List>> {
  const read = async (signal: AbortSignal): Promise<Whole<List>> => {
    const first = await get<List>(path, { limit: 100 }, signal);
    return wholeOf(first, first.nextCursor ? await getAll<ItemOf<List>>(path, {}, signal) : first.items);
  };
  return useLive(path, read, pace);
}

/** One stage in full, for lists leave out what is long; `tag` absent: it is not asked for. */
export const useStage = (tag: string | undefined, stage: StageName): Live<StageView> =>
  useResource<StageView>(
    tag === undefined ? undefined : `/v1/clusters/${segment(tag)}/stages/${segment(stage)}`,
    {},
    ({ state }) => paceOf(state === "running"),
  );

export type WholeNodeList = Whole<NodeList>;

export const useNodes = (tag: string, moving: boolean): Live<WholeNodeList> =>
  useWhole<NodeList>(`/v1/clusters/${segment(tag)}/nodes`, () => paceOf(moving));

export const useSubnets = (tag: string): Live<Whole<SubnetList>> =>
  useWhole<SubnetList>(`/v1/clusters/${segment(tag)}/subnets`, () => QUIET_MS);

export const useOperations = (clusterTag: string | undefined, cursor: string | undefined): Live<OperationList> =>
  useResource<OperationList>("/v1/operations", { clusterTag, cursor, limit: 20 }, (list) =>
    paceOf(list.items.some((operation) => !operation.done)),
  );

export const useOperation = (id: string): Live<OperationView> =>
  useResource<OperationView>(`/v1/operations/${segment(id)}`, {}, (operation) => paceOf(!operation.done));

export const useJournal = (id: string, running: boolean): Live<readonly JournalEntry[]> =>
  useWholeList<JournalEntry>(`/v1/operations/${segment(id)}/journal`, {}, () => (running ? paceOf(true) : QUIET_MS));

export const useHealth = (): Live<HealthView> => useResource<HealthView>("/v1/health", {}, () => QUIET_MS);

export const useRegions = (): Live<RegionList> => useResource<RegionList>("/v1/choices/regions", {}, once);

const choice = (name: string, region: string) => (region ? `/v1/choices/${name}` : undefined);

export const useZones = (region: string): Live<{ readonly items: readonly Zone[] }> =>
  useResource(choice("zones", region), { region }, once);

export const useTrainingPlans = (region: string): Live<{ readonly items: readonly TrainingPlan[] }> =>
  useResource(choice("training-plans", region), { region }, once);

export const useImportable = (region: string): Live<{ readonly items: readonly ImportableCluster[] }> =>
  useResource(choice("importable-clusters", region), { region }, once);

export const useInstanceTypes = (region: string): Live<readonly InstanceType[]> =>
  useWholeList<InstanceType>(choice("instance-types", region), { region }, once);
