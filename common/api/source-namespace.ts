import type { ExperimentDeployment } from './types.ts'

/** The namespace of the source: the one that `sourceRef` names, or else that of `experiment`. */
export const sourceNamespaceOf = ({ metadata, spec }: ExperimentDeployment): string =>
  spec.sourceRef.namespace ?? metadata.namespace
