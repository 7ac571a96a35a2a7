/* Calls Swift before `main`: on Linux, URLSession.shared knows the protocols that were registered before its first use. */

void app_test_support_register(void);

__attribute__((constructor)) static void register_protocol(void) { app_test_support_register(); }
