import { expect } from 'chai'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { ApiError } from '../../sandbox/api.ts'
import { ALL_VALUE_CASES } from '../value-cases/all.ts'
import { aSpec, type ValueCase } from '../value-cases/case.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

describe('the rules on values, asked of the API server', () => {
  const plane = usesControlPlane()
  let namespace = ''
  before('a namespace', async () => {
    namespace = await aNamespace()
  })

  /** What the API server says against the spec; empty if nothing. */
  async function refusal({ kind = 'Deployment' }: ValueCase, patch: JsonObject): Promise<string> {
    const { apiVersion } = WORKLOAD_KINDS[kind]
    const path = `${resourcePath(WORKLOAD_KINDS[kind], { namespace })}?dryRun=All&fieldValidation=Strict`
    try {
      await plane().api.create(path, { apiVersion, kind, metadata: { name: 'cart' }, spec: aSpec(kind, patch) })
      return ''
    } catch (error) {
      if (error instanceof ApiError && error.status === 422) return error.message
      throw error
    }
  }

  for (const each of ALL_VALUE_CASES)
    it(`${each.title}${each.isOfKubelet ? ' (a rule of the kubelet)' : ''}`, async () => {
      expect(await refusal(each, each.accepted), 'accepted').to.equal('')
      const said = await refusal(each, each.refused)
      if (each.isOfKubelet) expect(said, 'stored').to.equal('')
      else expect(said, 'refused').to.contain('is invalid')
    })
})
