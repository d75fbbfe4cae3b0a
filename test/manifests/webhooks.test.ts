import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import jsonPatch from 'fast-json-patch'
import { parse } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { shipped } from './shipped.ts'

const configurations = shipped('base').filter(({ kind }) => kind.endsWith('WebhookConfiguration'))

/** The webhook configurations with the JSON patches of an overlay, which has no other ones for them. */
function patchedBy(overlay: string): readonly KubeObject[] {
  const { patches } = parse(readFileSync(`manifests/${overlay}/kustomization.yaml`, 'utf8'))
  return configurations.map((configuration) => {
    const ofKind = listOr(patches).filter((patch) =>
      new RegExp(`^(${at(patch, 'target', 'kind')})$`).test(configuration.kind),
    )
    const operations = ofKind.flatMap((patch) => parse(`${at(patch, 'patch')}`))
    return jsonPatch.applyPatch(structuredClone(configuration), operations, true).newDocument
  })
}

/** The members of the Service of each webhook, by the kind of the configuration and the name of the webhook. */
const servicesIn = (objects: readonly KubeObject[]) =>
  objects.flatMap(({ kind, webhooks }) =>
    listOr(webhooks).map((webhook) => [
      `${kind} ${at(webhook, 'name')}`,
      Object.keys(Object(at(webhook, 'clientConfig', 'service'))),
    ]),
  )

describe('the webhook configurations', () => {
  it('are left as they are by the Admissions Enforcer of AKS', () => {
    expect(configurations).to.have.length(2)
    for (const { metadata } of configurations)
      expect(metadata.labels).to.deep.equal({ 'admissions.enforcer/disabled': 'true' })
  })

  it('leave every path to the script that puts a secret into it', () => {
    const shippedServices = servicesIn(configurations)
    expect(shippedServices).to.have.length(3)
    for (const [, members] of shippedServices) expect(members).to.deep.equal(['name', 'namespace', 'path'])
    for (const [webhook, members] of servicesIn(patchedBy('script-certs')))
      expect(members, `${webhook}`).to.deep.equal(['name', 'namespace'])
  })
})
