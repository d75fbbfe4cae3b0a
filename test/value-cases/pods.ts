import type { JsonObject } from '../../common/json/json.ts'
import { CART, container, pod, type ValueCase } from './case.ts'

const NAME =
  'must be a DNS name: lowercase letters, digits and "-", a letter or digit first and last, with "." between parts'
const security = (securityContext: JsonObject) => container({ securityContext })
const SECURITY = 'template.spec.containers[0].securityContext'

/** Pods in the network of the node. */
const hostProcesses = (ofPod: JsonObject, ofContainer: JsonObject, others: readonly JsonObject[] = []): JsonObject =>
  pod({
    hostNetwork: true,
    securityContext: ofPod,
    containers: [{ ...CART, securityContext: ofContainer }, ...others],
  })

/** `common/pod/pod.ts` */
export const PODS: readonly ValueCase[] = [
  {
    title: 'M4: restartPolicy other than Always',
    accepted: pod({ restartPolicy: 'Always' }),
    refused: pod({ restartPolicy: 'Never' }),
    errors: ['template.spec.restartPolicy: must be Always in a workload; remove it'],
  },
  {
    title: 'M4: activeDeadlineSeconds',
    accepted: pod({ terminationGracePeriodSeconds: 0 }),
    refused: pod({ activeDeadlineSeconds: 60 }),
    errors: ['template.spec.activeDeadlineSeconds: cannot be set in a workload; remove it'],
  },
  ...['serviceAccountName', 'serviceAccount', 'priorityClassName', 'nodeName', 'runtimeClassName'].map(
    (key): ValueCase => ({
      title: `M5: ${key}`,
      accepted: pod({ [key]: 'a.b' }),
      refused: pod({ [key]: 'a_b' }),
      errors: [`template.spec.${key}: ${NAME}; got "a_b"`],
    }),
  ),
  {
    title: 'M5: a readiness gate',
    accepted: pod({ readinessGates: [{ conditionType: 'example.com/Ready' }] }),
    refused: pod({ readinessGates: [{ conditionType: 'is ready' }] }),
    errors: [
      'template.spec.readinessGates[0].conditionType: expected a name of letters, digits, "-", "_" and ".", a letter or digit first and last, got "is ready"',
    ],
  },
  {
    title: 'M5: a scheduling gate',
    accepted: pod({ schedulingGates: [{ name: 'example.com/go' }] }),
    refused: pod({ schedulingGates: [{ name: 'go!' }] }),
    errors: [
      'template.spec.schedulingGates[0].name: expected a name of letters, digits, "-", "_" and ".", a letter or digit first and last, got "go!"',
    ],
  },
  {
    title: 'M3: a claim of nothing',
    accepted: pod({ resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] }),
    refused: pod({ resourceClaims: [{ name: 'gpu' }] }),
    errors: ['template.spec.resourceClaims[0]: must have resourceClaimName or resourceClaimTemplateName; add one'],
  },
  {
    title: 'M4: an unknown system',
    accepted: pod({ os: { name: 'linux' } }),
    refused: pod({ os: { name: 'plan9' } }),
    errors: ['template.spec.os.name: must be one of linux, windows; got "plan9"'],
  },
  {
    title: 'M4: what Windows does not have',
    accepted: pod({ os: { name: 'windows' }, hostIPC: false }),
    refused: pod({ os: { name: 'windows' }, securityContext: { runAsUser: 1 } }),
    errors: ['template.spec.securityContext.runAsUser: cannot be set with os.name: windows; remove one of them'],
  },
  {
    title: 'M4: what Linux does not have',
    accepted: pod({ os: { name: 'linux' }, securityContext: { runAsUser: 1 } }),
    refused: pod({ os: { name: 'linux' }, securityContext: { windowsOptions: {} } }),
    errors: ['template.spec.securityContext.windowsOptions: cannot be set with os.name: linux; remove one of them'],
  },
]

/** `common/pod/network.ts` */
export const NETWORK: readonly ValueCase[] = [
  {
    title: 'M4: dnsPolicy None without a name server',
    accepted: pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.1'] } }),
    refused: pod({ dnsPolicy: 'None' }),
    errors: ['template.spec.dnsConfig.nameservers: must have a name server, because dnsPolicy is None; add one'],
  },
  {
    title: 'M5: a name server',
    accepted: pod({ dnsConfig: { nameservers: ['2001:db8::1', '64:ff9b::192.0.2.33'] } }),
    refused: pod({ dnsConfig: { nameservers: ['dns.example'] } }),
    errors: ['template.spec.dnsConfig.nameservers[0]: must be an IP address such as 10.0.0.1; got "dns.example"'],
  },
  {
    title: 'M4: four name servers',
    accepted: pod({ dnsConfig: { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] } }),
    refused: pod({ dnsConfig: { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'] } }),
    errors: ['template.spec.dnsConfig.nameservers: must have at most 3; remove some'],
  },
  {
    title: 'M5: a search path',
    accepted: pod({ dnsConfig: { searches: ['_tcp.example.', '.'] } }),
    refused: pod({ dnsConfig: { searches: ['Example'] } }),
    errors: ['template.spec.dnsConfig.searches[0]: must be a DNS name in lowercase; got "Example"'],
  },
  {
    title: 'M5: the address of a host alias',
    accepted: pod({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example'] }] }),
    refused: pod({ hostAliases: [{ ip: '10.0.0.256', hostnames: ['a.example'] }] }),
    errors: ['template.spec.hostAliases[0].ip: must be an IP address such as 10.0.0.1; got "10.0.0.256"'],
  },
  {
    title: 'M5: the name of a host alias',
    accepted: pod({ hostAliases: [{ ip: '::1', hostnames: ['a'] }] }),
    refused: pod({ hostAliases: [{ ip: '::1', hostnames: ['A'] }] }),
    errors: [`template.spec.hostAliases[0].hostnames[0]: ${NAME}; got "A"`],
  },
  {
    title: 'M5: the host name of a pod',
    accepted: pod({ hostname: 'cart', subdomain: 'shop' }),
    refused: pod({ hostname: 'cart.shop' }),
    errors: [
      'template.spec.hostname: must be lowercase letters, digits and "-", a letter or digit first and last; got "cart.shop"',
    ],
  },
  {
    title: 'M4: another host name and the network of the node',
    accepted: pod({ hostnameOverride: 'cart.shop' }),
    refused: pod({ hostnameOverride: 'cart.shop', hostNetwork: true }),
    errors: ['template.spec.hostnameOverride: cannot be set while hostNetwork is true; remove one of them'],
  },
]

/** `common/pod/security.ts` */
export const SECURITY_CONTEXTS: readonly ValueCase[] = [
  {
    title: 'M4: a user',
    accepted: security({ runAsUser: 2_147_483_647 }),
    refused: security({ runAsUser: 2_147_483_648 }),
    errors: [`${SECURITY}.runAsUser: must be from 0 to 2147483647; got 2147483648`],
  },
  {
    title: 'M4: a negative group',
    accepted: pod({ securityContext: { fsGroup: 0, supplementalGroups: [1] } }),
    refused: pod({ securityContext: { supplementalGroups: [-1] } }),
    errors: ['template.spec.securityContext.supplementalGroups[0]: must be from 0 to 2147483647; got -1'],
  },
  {
    title: 'M4: a seccomp profile without its name',
    accepted: security({ seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } }),
    refused: security({ seccompProfile: { type: 'Localhost' } }),
    errors: [`${SECURITY}.seccompProfile.localhostProfile: must name a profile for type Localhost; set it`],
  },
  {
    title: 'M4: a seccomp profile with a name',
    accepted: security({ seccompProfile: { type: 'RuntimeDefault' } }),
    refused: security({ seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a.json' } }),
    errors: [`${SECURITY}.seccompProfile.localhostProfile: cannot be set unless type is Localhost; set it to null`],
  },
  {
    title: 'M4: an AppArmor profile without its name',
    accepted: pod({ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } } }),
    refused: pod({ securityContext: { appArmorProfile: { type: 'Localhost' } } }),
    errors: [
      'template.spec.securityContext.appArmorProfile.localhostProfile: must name a profile for type Localhost; set it',
    ],
  },
  {
    title: 'M4: privileged without privilege escalation',
    accepted: security({ allowPrivilegeEscalation: false }),
    refused: security({ allowPrivilegeEscalation: false, privileged: true }),
    errors: [
      `${SECURITY}.allowPrivilegeEscalation: cannot be false in a privileged container; remove it, or privileged`,
    ],
  },
  {
    title: 'M4: an open /proc with the users of the node',
    accepted: pod({ hostUsers: false, containers: [{ ...CART, securityContext: { procMount: 'Unmasked' } }] }),
    refused: security({ procMount: 'Unmasked' }),
    errors: [
      `${SECURITY}.procMount: cannot be Unmasked unless hostUsers of the pod is false; set that, or remove this`,
    ],
  },
  {
    title: 'M5: a kernel parameter',
    accepted: pod({ securityContext: { sysctls: [{ name: 'net.core/somaxconn', value: '1' }] } }),
    refused: pod({ securityContext: { sysctls: [{ name: 'net..core', value: '1' }] } }),
    errors: [
      'template.spec.securityContext.sysctls[0].name: must be the name of a kernel parameter such as net.core.somaxconn; got "net..core"',
    ],
  },
  {
    title: 'M4: a kernel parameter of the network of the node',
    accepted: pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'kernel.sem', value: '1' }] } }),
    refused: pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }] } }),
    errors: [
      'template.spec.securityContext.sysctls[0].name: cannot be set while hostNetwork is true; remove one of them',
    ],
  },
  {
    title: 'M4: processes of the pod and of the node',
    accepted: pod({ shareProcessNamespace: true }),
    refused: pod({ shareProcessNamespace: true, hostPID: true }),
    errors: ['template.spec.shareProcessNamespace: cannot be true together with hostPID; remove one of them'],
  },
  {
    title: 'M4: users of its own and processes of the node',
    accepted: pod({ hostUsers: false }),
    refused: pod({ hostUsers: false, hostPID: true }),
    errors: ['template.spec.hostPID: cannot be true while hostUsers is false; remove one of them'],
  },
  {
    title: 'M5: a user of Windows',
    accepted: security({ windowsOptions: { runAsUserName: 'SHOP\\cart' } }),
    refused: security({ windowsOptions: { runAsUserName: 'cart/shop' } }),
    errors: [`${SECURITY}.windowsOptions.runAsUserName: must be a Windows user such as DOMAIN\\user; got "cart/shop"`],
  },
  {
    title: 'N46: a process of the node that the pod does not have',
    accepted: hostProcesses({}, { windowsOptions: { hostProcess: true } }),
    refused: hostProcesses({ windowsOptions: { hostProcess: false } }, { windowsOptions: { hostProcess: true } }),
    errors: [
      `${SECURITY}.windowsOptions.hostProcess: must be as in the securityContext of the pod; correct one of them`,
    ],
  },
  {
    title: 'N46: a process of the node without its network',
    accepted: pod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }),
    refused: pod({ securityContext: { windowsOptions: { hostProcess: true } } }),
    errors: ['template.spec.hostNetwork: must be true, because a container has hostProcess: true; set it'],
  },
  {
    title: 'N46: a process of the node in one of two containers',
    accepted: hostProcesses({ windowsOptions: { hostProcess: true } }, {}),
    refused: hostProcesses({}, { windowsOptions: { hostProcess: true } }, [{ name: 'other', image: 'a' }]),
    errors: [`${SECURITY}.windowsOptions.hostProcess: must be set in all containers, or in none; correct it`],
  },
]
