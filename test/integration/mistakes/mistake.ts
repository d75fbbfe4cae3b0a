/** A manifest that somebody got wrong, and where. */
export interface Mistake {
  /** a noun phrase: the headline in `mistakes.md` */
  readonly title: string
  /** what the refusal must name: the exact path of the field, once for each mistake in it */
  readonly paths: readonly string[]
  readonly kind?: 'Deployment' | 'StatefulSet' | 'Rollout'
  readonly overrideType?: string
  /** YAML: what stands in `overrideSpec` */
  readonly override?: string
  /** YAML: members of `spec` beside the reference and the override */
  readonly rest?: string
  /** YAML: the whole `spec`, where not even its frame is right */
  readonly spec?: string
  readonly name?: string
  /** sent by server-side apply, for client-side apply drops nulls before anybody sees them */
  readonly isServerSide?: boolean
  /** YAML: what stood in `overrideSpec` before; the mistake is to change it */
  readonly before?: string
}

const indented = (yaml: string, by: string): string =>
  yaml
    .split('\n')
    .map((line) => (line === '' ? '' : `${by}${line}`))
    .join('\n')

/** The manifest of a mistake; with its `before`, what was applied before. */
export function manifestOf(mistake: Mistake, override = mistake.override): string {
  const { kind = 'Deployment', overrideType, name = 'faster-cart', rest } = mistake
  const spec =
    mistake.spec ??
    [
      `sourceRef: {kind: ${kind}, name: cart}`,
      ...(rest === undefined ? [] : [rest]),
      ...(overrideType === undefined ? [] : [`overrideType: ${overrideType}`]),
      override === undefined ? 'overrideSpec: {}' : `overrideSpec:\n${indented(override, '  ')}`,
    ].join('\n')
  return [
    'apiVersion: experimentcontroller.example.com/v1alpha1',
    'kind: ExperimentDeployment',
    `metadata: {name: ${name}}`,
    'spec:',
    `${indented(spec, '  ')}\n`,
  ].join('\n')
}
