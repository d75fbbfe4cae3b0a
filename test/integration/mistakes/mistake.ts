/** A manifest with mistakes, and where they are. */
export interface Mistake {
  /** a noun phrase: the headline in `mistakes.md` */
  readonly title: string
  /** what the refusal must name: the exact path of the field, once for each mistake in it */
  readonly paths: readonly string[]
  readonly kind?: 'Deployment' | 'StatefulSet' | 'Rollout'
  readonly overrideType?: string
  /** YAML: the contents of `overrideSpec` */
  readonly override?: string
  /** YAML: members of `spec` other than the reference and the override */
  readonly rest?: string
  /** YAML: the whole `spec`, if the mistake is outside these members */
  readonly spec?: string
  readonly name?: string
  /** YAML: members of `metadata` beside the name */
  readonly metadata?: string
  /** the reason of the warning, where it is accepted */
  readonly warns?: string
  /** sent by server-side apply, because client-side apply drops nulls */
  readonly isServerSide?: boolean
  /** YAML: the previous contents of `overrideSpec`; the mistake is the change */
  readonly before?: string
}

const indented = (yaml: string, by: string): string =>
  yaml
    .split('\n')
    .map((line) => (line === '' ? '' : `${by}${line}`))
    .join('\n')

/** The manifest of a mistake, or of its state `before`, which is applied first. */
export function manifestOf(mistake: Mistake, override = mistake.override): string {
  const { kind = 'Deployment', overrideType, name = 'faster-cart', rest, metadata } = mistake
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
    `metadata: {name: ${name}${metadata === undefined ? '' : `, ${metadata}`}}`,
    'spec:',
    `${indented(spec, '  ')}\n`,
  ].join('\n')
}
