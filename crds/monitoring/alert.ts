import type { Section } from './sections.ts'

/** A rule that notifies an admin. */
export interface Alert {
  /** PromQL. A test compares its metrics and labels with those that are served */
  readonly expr: string
  /** how long the expression must hold; default: at once */
  readonly for?: `${number}${'m' | 'h'}`
  /** `critical`: experiments cannot be created or changed now; `warning`: look today; `info`: look some time */
  readonly severity: 'critical' | 'warning' | 'info'
  /** one sentence; may name labels of the alert as `{{ $labels.pod }}` */
  readonly summary: string
  /** what it means, and what still works meanwhile */
  readonly description: string
  /** what to do */
  readonly remedy: string
  /** the section of a page for admins that says more */
  readonly section: Section
}

/**
 * The namespace of the programs, for alerts about series that are not there: these have no label of their own. The
 * component `manifests/beside` replaces it. Whoever installs into another namespace without it must do the same.
 */
export const OF_INSTALLATION = 'namespace="experiment-controller-system"'
