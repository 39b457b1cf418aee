import { callEndpoint } from '../call-endpoint.js';

/** Calls `comply_test_controller` of an agent. Unsupported scenarios are in the answer (`success: false`). */
export async function runTestController(
  url: string,
  token: string,
  scenario: string,
  params: unknown,
): Promise<Record<string, unknown>> {
  return (await callEndpoint(url, token, 'comply_test_controller', { scenario, params })).body;
}

/** All formats of `https://your-platform.example.com` in storyboards. */
const placeholders: readonly string[] = [
  'display_300x250',
  'display_300x250_generative',
  'native_content',
  'native_post',
  'preroll_15s',
  'ssai_30s',
  'vast_30s',
  'video_30s',
  'video_30s_generative',
];

/** Seeds a product and placeholder formats that storyboards use and never seed. Returns what could not be seeded. */
export async function seedLiterals(url: string, token: string): Promise<readonly string[]> {
  const product = { product_id: 'test-product' };
  const fixture = { currency: 'USD', fixed_price: 10 };
  const wanted: [scenario: string, params: Record<string, unknown>][] = [
    ['seed_product', { ...product, fixture: {} }],
    ...['test-pricing', 'default'].map((pricing_option_id): [string, Record<string, unknown>] => [
      'seed_pricing_option',
      { ...product, pricing_option_id, fixture },
    ]),
    ...placeholders.map((format_id): [string, Record<string, unknown>] => [
      'seed_creative_format',
      { format_id, fixture: { agent_url: 'https://your-platform.example.com' } },
    ]),
  ];
  const refused: string[] = [];
  for (const [scenario, params] of wanted) {
    const reported = await runTestController(url, token, scenario, params);
    if (reported['success'] !== true) refused.push(`${scenario}: ${JSON.stringify(reported)}`);
  }
  return refused;
}
