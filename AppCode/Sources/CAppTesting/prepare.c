/* Calls Swift before `main`, because XCTest makes the test cases, and with them their web views, before it calls any
   code of theirs. */

void bridged_prepare_app_tests(void);

__attribute__((constructor)) static void prepare(void) { bridged_prepare_app_tests(); }
