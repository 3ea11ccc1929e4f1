// What a host's Content-Security-Policy refused in this thread. Only the browser's own report says that it was the policy.

/** A report comes before or after the failure that it explains, but soon. */
const REPORT_DELAY_MS = 50;

interface Refusal {
  readonly directive: string;
  /** The request that was refused; of another host perhaps its origin alone. */
  readonly address: string;
}

const refused: Refusal[] = [];

// Node has no such thing.
globalThis.addEventListener?.('securitypolicyviolation', (event) => {
  const { effectiveDirective, blockedURI, disposition } = event as SecurityPolicyViolationEvent;
  if (disposition !== 'report') refused.push({ directive: effectiveDirective, address: blockedURI });
});

/** After something failed: what forbids it, to be put into a sentence; null where no policy does. */
export async function forbidden(directive: string, address?: string): Promise<string | null> {
  if (refused.length === 0) await new Promise((resolve) => setTimeout(resolve, REPORT_DELAY_MS));
  const fits = (refusal: Refusal) => refusal.directive === directive && (address?.startsWith(refusal.address) ?? true);
  return refused.some(fits) ? `the host of this page forbids it (Content-Security-Policy, ${directive})` : null;
}
