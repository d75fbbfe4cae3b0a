/** What a reason is about: the sections of `docs/reasons.md`, in their order. */
export const SUBJECTS = {
  fork: 'The fork',
  source: 'The source',
  override: 'The override',
  policy: 'Policies and limits',
  traffic: 'Traffic',
  neighbours: 'Services, autoscalers and other objects that select the same pods',
  hazards: 'Risks of a second instance',
  apply: 'Warnings at apply',
} as const

/** A key of `SUBJECTS`. */
export type ReasonTopic = keyof typeof SUBJECTS

/** What the code and the user need to know about a reason. */
export interface ReasonAttributes {
  readonly about: ReasonTopic
  /** What the user should do: Markdown, in `docs/reasons.md`. */
  readonly remedy: string
  /**
   * While an experiment is not ready for this reason its fork stays as it is, but follows a smaller `spec.replicas`.
   */
  readonly keepsFork?: true
  /** An experiment that is not ready for this reason is checked again when another experiment ends. */
  readonly wakesWhenAnotherEnds?: true
  /**
   * Found only by reading autoscalers, disruption budgets and network policies. While they cannot be read, it stays.
   */
  readonly ofNeighbours?: true
}

type WithoutSubject = Omit<ReasonAttributes, 'about'>

/** `reasons` with their subject. A reason does not compile without a subject and a remedy. */
export const reasonsAbout = <Name extends string>(
  about: ReasonTopic,
  reasons: Readonly<Record<Name, WithoutSubject>>,
): Readonly<Record<Name, ReasonAttributes>> => {
  const entries = Object.entries<WithoutSubject>(reasons).map(([name, attributes]) => [name, { about, ...attributes }])
  return Object.fromEntries(entries)
}
